"""The hashes that turn texts into buckets and into keys of rows. Pure; the bits never change.

The 32 and 128 bit MurmurHash3 (Appleby), SipHash-2-4 (Aumasson and Bernstein 2012), and the
finalizer of SplitMix64.
"""

from __future__ import annotations

_MASK32 = 0xFFFFFFFF
_MASK64 = 0xFFFFFFFFFFFFFFFF


def murmur32(data: bytes, seed: int = 0) -> int:
    """The 32-bit MurmurHash3 for x86, as a signed number."""
    c1, c2 = 0xCC9E2D51, 0x1B873593
    h = seed & _MASK32
    blocks = len(data) & ~3
    for at in range(0, blocks, 4):
        k = int.from_bytes(data[at : at + 4], "little") * c1 & _MASK32
        h ^= _rotate32(k, 15) * c2 & _MASK32
        h = (_rotate32(h, 13) * 5 + 0xE6546B64) & _MASK32
    if len(data) > blocks:
        k = int.from_bytes(data[blocks:], "little") * c1 & _MASK32
        h ^= _rotate32(k, 15) * c2 & _MASK32
    h ^= len(data)
    h = (h ^ (h >> 16)) * 0x85EBCA6B & _MASK32
    h = (h ^ (h >> 13)) * 0xC2B2AE35 & _MASK32
    h ^= h >> 16
    return h - (1 << 32) if h >> 31 else h


def _rotate32(value: int, bits: int) -> int:
    return (value << bits | value >> (32 - bits)) & _MASK32


def _rotate64(value: int, bits: int) -> int:
    return (value << bits | value >> (64 - bits)) & _MASK64


def murmur128(data: bytes, seed: int = 0) -> tuple[int, int]:
    """The 128-bit MurmurHash3 for x64, as two unsigned numbers: the first half, the second half."""
    c1, c2 = 0x87C37B91114253D5, 0x4CF5AD432745937F
    h1 = h2 = seed & _MASK32
    blocks = len(data) & ~15
    for at in range(0, blocks, 16):
        k1 = int.from_bytes(data[at : at + 8], "little") * c1 & _MASK64
        k2 = int.from_bytes(data[at + 8 : at + 16], "little") * c2 & _MASK64
        h1 ^= _rotate64(k1, 31) * c2 & _MASK64
        h1 = ((_rotate64(h1, 27) + h2) * 5 + 0x52DCE729) & _MASK64
        h2 ^= _rotate64(k2, 33) * c1 & _MASK64
        h2 = ((_rotate64(h2, 31) + h1) * 5 + 0x38495AB5) & _MASK64
    k1 = int.from_bytes(data[blocks : blocks + 8], "little") * c1 & _MASK64
    k2 = int.from_bytes(data[blocks + 8 :], "little") * c2 & _MASK64
    h1 ^= (_rotate64(k1, 31) * c2 & _MASK64) ^ len(data)
    h2 ^= (_rotate64(k2, 33) * c1 & _MASK64) ^ len(data)
    h1 = (h1 + h2) & _MASK64
    h2 = (h2 + h1) & _MASK64
    h1, h2 = _finish(h1), _finish(h2)
    h1 = (h1 + h2) & _MASK64
    h2 = (h2 + h1) & _MASK64
    return h1, h2


def _finish(bits: int) -> int:
    mixed = (bits ^ (bits >> 33)) * 0xFF51AFD7ED558CCD & _MASK64
    mixed = (mixed ^ (mixed >> 33)) * 0xC4CEB9FE1A85EC53 & _MASK64
    return mixed ^ (mixed >> 33)


def siphash(data: bytes, low: int, high: int) -> int:
    """SipHash-2-4 with a key of two 64-bit halves, as an unsigned number."""
    low &= _MASK64
    high &= _MASK64
    v = [
        low ^ 0x736F6D6570736575,
        high ^ 0x646F72616E646F6D,
        low ^ 0x6C7967656E657261,
        high ^ 0x7465646279746573,
    ]
    whole = len(data) & ~7
    words = [int.from_bytes(data[at : at + 8], "little") for at in range(0, whole, 8)]
    words.append((len(data) & 0xFF) << 56 | int.from_bytes(data[whole:], "little"))
    for word in words:
        v[3] ^= word
        _sip_round(v)
        _sip_round(v)
        v[0] ^= word
    v[2] ^= 0xFF
    for _ in range(4):
        _sip_round(v)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def _sip_round(v: list[int]) -> None:
    v[0] = (v[0] + v[1]) & _MASK64
    v[1] = _rotate64(v[1], 13) ^ v[0]
    v[0] = _rotate64(v[0], 32)
    v[2] = (v[2] + v[3]) & _MASK64
    v[3] = _rotate64(v[3], 16) ^ v[2]
    v[0] = (v[0] + v[3]) & _MASK64
    v[3] = _rotate64(v[3], 21) ^ v[0]
    v[2] = (v[2] + v[1]) & _MASK64
    v[1] = _rotate64(v[1], 17) ^ v[2]
    v[2] = _rotate64(v[2], 32)


def split_mix(bits: int) -> int:
    """The finalizer of SplitMix64, a bijection of 64-bit numbers; unsigned."""
    mixed = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & _MASK64
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB & _MASK64
    return mixed ^ (mixed >> 31)
