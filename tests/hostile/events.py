"""Writes an event file of TensorBoard with one event on standard output."""
import struct
import sys


def checksum(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17 & 0xFFFFFFFF) + 0xA282EAD8) & 0xFFFFFFFF)


def record(event):
    head = struct.pack("<Q", len(event))
    return head + checksum(head) + event + checksum(event)


value = b"\x0a\x04loss\x15" + struct.pack("<f", 2.5)
summary = b"\x0a" + bytes([len(value)]) + value
event = b"\x10\x05\x2a" + bytes([len(summary)]) + summary
sys.stdout.buffer.write(record(b"\x1a\x0dbrain.Event:2") + record(event))
