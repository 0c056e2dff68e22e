"""Faults that were planted in ``curation`` and that no other test found."""

from pathlib import Path

from planimeter.flows.imports.corpus import CHUNK_BYTES, Chunk, Corpus, Mark


def test_a_chunk_does_not_grow_beyond_the_bytes_from_which_on_it_is_full() -> None:
    ends = (0, CHUNK_BYTES, 2 * CHUNK_BYTES - 1, 2 * CHUNK_BYTES, 2 * CHUNK_BYTES + 9)
    marks = tuple(Mark(at=end, lines=number, bytes=end) for number, end in enumerate(ends))
    corpus = Corpus(path=Path("x.jsonl"), stamp=(0, 0), name="x.jsonl", sha256="", marks=marks)
    assert list(corpus.chunks(100)) == [
        Chunk(start=0, end=CHUNK_BYTES, first=1),
        Chunk(start=CHUNK_BYTES, end=2 * CHUNK_BYTES, first=2),
        Chunk(start=2 * CHUNK_BYTES, end=2 * CHUNK_BYTES + 9, first=4),
    ]
