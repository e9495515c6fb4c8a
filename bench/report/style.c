/* The page's style sheet: light and dark, wide and narrow, screen and paper. */
#include "bench/report/report.h"

const char report_style[] =
    ":root{--ink:#1b1b1b;--soft:#595959;--line:#d8d8d8;--paper:#fff;--tint:#f5f5f2;--good:#00603f;--bad:#9c2f00;"
    "--accent:#0b5394}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8e8e6;--soft:#a8a8a4;--line:#444;--paper:#17181a;--tint:#222427;"
    "--good:#5fc79a;--bad:#f0906a;--accent:#8ab8ea}}\n"
    "html{color-scheme:light dark;-webkit-text-size-adjust:100%}body{margin:0;background:var(--paper);"
    "color:var(--ink);font:16px/1.5 system-ui,sans-serif;overflow-wrap:break-word}\n"
    "main{max-width:72rem;margin:0 auto;padding:1rem 1.5rem}h1{font-size:1.7rem;line-height:1.25;margin:.2em 0}"
    "h2{margin:2em 0 .4em;border-bottom:2px solid var(--line);padding-bottom:.2em}h3{margin:1.4em 0 .3em}"
    "h2,h3{line-height:1.3}\n"
    "p,li{max-width:60rem}a{color:var(--accent)}small,.soft{color:var(--soft)}code{font-size:.9em;"
    "overflow-wrap:anywhere}.soft{margin:.2em 0;font-size:.9rem}\n"
    /* The first page, and what is folded behind it. */
    "h2{font-size:1.2rem}#asked h2{margin-top:.8em}.answer{margin:.2em 0 .5em}"
    ".fold{border-top:1px solid var(--line);margin:0;padding:.3em 0}.fold>summary{font-weight:600;padding:.3em 0}"
    ".fold>div{padding:0 0 1.5em}.fold small{font-weight:400}\n"
    /* A picture of an interval: the margin's band, zero, the interval, the mean. */
    ".interval{width:180px;height:18px;display:block}.interval rect{fill:var(--line);opacity:.6}"
    ".interval path{stroke:var(--ink);stroke-width:2}.interval .zero{stroke-width:1;stroke:var(--soft)}"
    ".interval circle{fill:var(--ink)}\n"
    /* Tables. */
    ".wide{overflow-x:auto}.numbers td,.numbers th{white-space:nowrap}.numbers .words{white-space:normal}"
    ".numbers td.words{min-width:10rem}"
    "table{border-collapse:collapse;margin:.6em 0;font-size:.88rem;"
    "font-variant-numeric:tabular-nums}th,td{padding:.25em .7em;text-align:right;border-bottom:1px solid var(--line);"
    "vertical-align:top}th:first-child,td:first-child,td.text,th.text{text-align:left}tbody th{font-weight:400}"
    "thead th,thead td{border-bottom:2px solid "
    "var(--ink);font-weight:600}.numbers th[scope=rowgroup]{background:var(--tint)}caption{text-align:left;"
    "color:var(--soft);padding-bottom:.4em;max-width:60rem}\n"
    /* Figures: text, axes and the baseline are currentColor. */
    ".plot{margin:1em 0;border:1px solid var(--line);padding:.4em;max-width:62rem}"
    ".plot svg{width:100%;height:auto;display:block}.plot .phone{display:none}"
    ".plot figcaption{color:var(--soft);font-size:.88rem;padding:.3em}\n"
    /* Verdicts and the rest. */
    ".v-better{color:var(--good)}.v-worse{color:var(--bad)}.v-same{color:var(--accent)}.v-warning{color:var(--bad)}"
    ".v-open{color:var(--soft)}\n"
    ".verdict{font-weight:600}.v-reproduced,.v-seen-here{color:var(--good)}.v-contradicted,.v-not-seen-here{"
    "color:var(--bad)}.v-not-tested,.v-estimate{color:var(--soft);font-weight:400}\n"
    "details{margin:.6em 0}summary{cursor:pointer;color:var(--accent)}"
    ".banner{border-left:.3rem solid var(--bad);background:var(--tint);padding:.4em .8em}\n"
    /* A phone: rows of the claims become blocks, wide tables and figures scroll in their boxes. */
    "@media(max-width:700px){main{padding:.6rem .9rem}h1{font-size:1.35rem}"
    ".stack table,.stack tbody,.stack tr,.stack caption,.stack tbody th,.stack td.words{display:block;text-align:left}"
    ".stack thead{display:none}.stack td,.stack tbody th{border:0;padding:.05em .4em .05em 0}"
    ".stack td{display:inline-block;text-align:left}.stack td:empty{display:none}"
    ".stack tr{border-bottom:1px solid var(--line);padding:.4em 0}.stack .p::before{content:\"p \"}"
    ".plot .desk{display:none}.plot .phone{display:block}}\n"
    "@media print{details::details-content{content-visibility:visible;block-size:auto}body{font-size:11px}"
    "main{max-width:none;padding:0}figure,tr{break-inside:avoid}h2,h3{break-after:avoid}"
    ".wide{overflow:visible}}\n";
