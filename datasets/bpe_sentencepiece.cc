// See bpe_sentencepiece.h. No exception and no type of the library leaves this file.
#include "datasets/bpe_sentencepiece.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

using sentencepiece::SentenceIterator;
using sentencepiece::SentencePieceProcessor;
using sentencepiece::SentencePieceTrainer;
using sentencepiece::util::Status;

struct BpeModel {
    SentencePieceProcessor processor;
    std::string serialized;
    int newline;
};

namespace {

constexpr std::string_view BLANK = "\xe2\x96\x81";

// The trainer keeps a place in a word in 16 bits, signed in effect, and crashes beyond.
constexpr size_t LONGEST_WORD = 16384;

void explain(BpeProblem *why, const std::string &text) {
    snprintf(why->text, sizeof why->text, "%s", text.c_str());
}

// The lines of a text, without their ends. A word above LONGEST_WORD bytes is cut between code points.
class Lines : public SentenceIterator {
  public:
    explicit Lines(std::string_view text) : text_(text) {
        Next();
    }
    bool done() const override {
        return done_;
    }
    const std::string &value() const override {
        return line_;
    }
    Status status() const override {
        return Status();
    }
    void Next() override {
        done_ = at_ >= text_.size();
        if (done_) return;
        size_t word = 0, at = at_;
        for (; at < text_.size() && text_[at] != '\n' && !(word >= LONGEST_WORD && starts_code_point(at)); at++)
            word = text_[at] == ' ' ? 0 : word + 1;
        line_.assign(text_.substr(at_, at - at_));
        at_ = at + (at < text_.size() && text_[at] == '\n');
    }

  private:
    bool starts_code_point(size_t at) const {
        return (static_cast<unsigned char>(text_[at]) & 0xc0) != 0x80;
    }
    std::string_view text_;
    std::string line_;
    size_t at_ = 0;
    bool done_ = false;
};

BpeModel *load(std::string serialized, BpeProblem *why) {
    auto m = std::make_unique<BpeModel>();
    m->serialized = std::move(serialized);
    Status status = m->processor.LoadFromSerializedProto(m->serialized);
    if (!status.ok()) {
        explain(why, status.ToString());
        return nullptr;
    }
    m->newline = m->processor.PieceToId("\n");
    return m.release();
}

// Encodes word by word, each distinct word once. Pieces hold a blank nowhere but in front (bpe_piece asserts it), so no
// piece crosses the front of a word and this equals encoding the text as a whole.
bool encode(const BpeModel *m, std::string_view text, int32_t *tokens, size_t *count, BpeProblem *why) {
    std::unordered_map<std::string_view, std::pair<size_t, size_t>> known; // word -> where in `ids`, how many
    std::vector<int> ids, word_ids;
    size_t n = 0;
    for (size_t at = 0; at < text.size();) {
        if (text[at] == '\n') {
            tokens[n++] = m->newline;
            at++;
            continue;
        }
        std::string_view word = text.substr(at, std::min(text.find_first_of(" \n", at + 1), text.size()) - at);
        auto [place, fresh] = known.try_emplace(word, ids.size(), 0);
        if (fresh) {
            Status status = m->processor.Encode(word, &word_ids);
            if (!status.ok()) {
                explain(why, status.ToString());
                return false;
            }
            place->second.second = word_ids.size();
            ids.insert(ids.end(), word_ids.begin(), word_ids.end());
        }
        std::copy_n(ids.begin() + static_cast<std::ptrdiff_t>(place->second.first), place->second.second, tokens + n);
        n += place->second.second;
        at += word.size();
    }
    *count = n;
    return true;
}

} // namespace

const char *bpe_version(void) {
    return SENTENCEPIECE_VERSION;
}

BpeModel *bpe_train(const char *text, size_t length, int pieces, BpeProblem *why) try {
    const std::unordered_map<std::string, std::string> settings = {
        {"model_type", "bpe"},
        {"vocab_size", std::to_string(pieces)},
        {"normalization_rule_name", "identity"},
        {"byte_fallback", "true"},
        {"user_defined_symbols", "\n"},
        {"add_dummy_prefix", "false"},
        {"remove_extra_whitespaces", "false"},
        {"character_coverage", "1.0"},
        {"max_sentence_length", "1073741824"},
        {"num_threads", "1"},
        {"bos_id", "-1"},
        {"eos_id", "-1"},
        {"pad_id", "-1"},
        {"minloglevel", "3"},
    };
    Lines lines(std::string_view(text, length));
    std::string serialized;
    Status status = SentencePieceTrainer::Train(settings, &lines, &serialized);
    if (status.ok()) return load(std::move(serialized), why);
    explain(why, status.ToString());
    return nullptr;
} catch (const std::exception &problem) {
    explain(why, problem.what());
    return nullptr;
}

BpeModel *bpe_load(const char *serialized, size_t length, BpeProblem *why) try {
    return load(std::string(serialized, length), why);
} catch (const std::exception &problem) {
    explain(why, problem.what());
    return nullptr;
}

void bpe_free(BpeModel *m) {
    delete m;
}

const char *bpe_serialized(const BpeModel *m, size_t *length) {
    *length = m->serialized.size();
    return m->serialized.data();
}

int bpe_pieces(const BpeModel *m) {
    return m->processor.GetPieceSize();
}

char bpe_piece(const BpeModel *m, int id, char out[BPE_PIECE_MAX], size_t *length) {
    const std::string &piece = m->processor.IdToPiece(id);
    *length = 0;
    if (m->processor.IsUnknown(id)) return BPE_UNKNOWN;
    if (m->processor.IsByte(id)) {
        unsigned byte = 0;
        int read = sscanf(piece.c_str(), "<0x%2X>", &byte);
        assert(read == 1);
        (void)read;
        out[(*length)++] = static_cast<char>(byte);
        return BPE_BYTE;
    }
    std::string_view rest = piece;
    if (rest.substr(0, BLANK.size()) == BLANK) {
        out[(*length)++] = ' ';
        rest.remove_prefix(BLANK.size());
    }
    assert(rest.find(BLANK) == rest.npos && *length + rest.size() <= BPE_PIECE_MAX);
    std::copy(rest.begin(), rest.end(), out + *length);
    *length += rest.size();
    return id == m->newline ? BPE_NEWLINE : BPE_TEXT;
}

bool bpe_encode_text(const BpeModel *m, const char *text, size_t length, int32_t *tokens, size_t *count,
                     BpeProblem *why) try {
    return encode(m, std::string_view(text, length), tokens, count, why);
} catch (const std::exception &problem) {
    explain(why, problem.what());
    return false;
}
