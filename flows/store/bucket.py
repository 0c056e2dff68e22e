"""A store in a bucket: whatever fsspec can write, S3 above all. Nothing else here speaks to the network.

fsspec and its back ends find address, region and credentials in the environment or in their own configuration.
Listings are never taken from fsspec's memory, which does not see what other machines write.
"""

import errno
import hashlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import fsspec
from fsspec.implementations.local import LocalFileOpener

from planimeter.flows.errors import PlanimeterError, first_line


class StoreError(PlanimeterError):
    """The bucket cannot be reached, or refuses."""


class Bucket:
    """A ``Store`` below ``url``, such as ``s3://bucket/prefix``. Raises ``StoreError`` for whatever goes wrong."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        with self._clear_errors("opened"):
            try:
                self._files, root = fsspec.url_to_fs(self.url, use_listings_cache=False)
            except ImportError as error:
                raise StoreError(
                    f"{self.url}: {error}; Planimeter's extra `s3` brings what s3:// needs (in a checkout: make dev)"
                ) from None
            except ValueError as error:
                raise StoreError(f"{self.url} cannot be opened: {error}") from None
        self._root = str(root).rstrip("/")

    def put(self, name: str, content: bytes) -> None:
        with self._clear_errors("written"):
            self._files.pipe_file(self._at(name), content)

    def get(self, name: str) -> bytes:
        with self._clear_errors("read"):
            content: bytes = self._files.cat_file(self._at(name))
            return content

    def slices(self, spans: Sequence[tuple[str, int, int]]) -> list[bytes]:
        with self._clear_errors("read"):
            paths = [self._at(name) for name, _, _ in spans]
            ends = [start + size for _, start, size in spans]
            # Many at once where the back end can; neighbours are one request.
            contents = self._files.cat_ranges(paths, [start for _, start, _ in spans], ends, on_error="raise")
            return [bytes(content) for content in contents]

    def holds(self, name: str, sha256: str) -> bool:
        """Return whether the object has this hash; it is read for that."""
        try:
            return hashlib.sha256(self.get(name)).hexdigest() == sha256
        except FileNotFoundError:
            return False

    def delete(self, name: str) -> None:
        with self._clear_errors("removed"), suppress(FileNotFoundError):
            self._files.rm_file(self._at(name))

    def names(self, folder: str) -> frozenset[str]:
        return frozenset(name for name in self.sizes(folder) if "/" not in name)

    def sizes(self, folder: str) -> dict[str, int]:
        """Return name (relative to ``folder``) and size in bytes of each object below ``folder``, however deep."""
        with self._clear_errors("listed"):
            self._files.invalidate_cache()
            try:
                objects: dict[str, dict[str, object]] = self._files.find(self._at(folder), detail=True)
            except FileNotFoundError:
                return {}
        start = len(self._at(folder)) + 1
        return {path[start:]: int(str(entry["size"])) for path, entry in objects.items()}

    def upload(self, path: str, name: str) -> None:
        """Keep the local file at ``path`` under ``name``, in parts where it is large.

        Raises ``FileExistsError`` if the name is taken: at once where the service knows conditional writes (S3 does),
        elsewhere it looks first.
        """
        with self._clear_errors("written"):
            try:
                self._files.put_file(path, self._at(name), mode="create")
            except FileExistsError:
                raise
            except (OSError, NotImplementedError, TypeError) as error:
                # Services differ in what they answer where the name is taken, and not every back end knows the mode.
                if self._files.exists(self._at(name)):
                    raise FileExistsError(name) from None
                if getattr(error, "errno", errno.ENOSYS) != errno.ENOSYS:
                    raise
                self._files.put_file(path, self._at(name))

    def download(self, folder: str, target: Path) -> None:
        """Write all objects below ``folder`` to the local folder ``target``."""
        with self._clear_errors("read"):
            self._files.get(f"{self._at(folder)}/", f"{target}/", recursive=True)

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}"

    @contextmanager
    def _clear_errors(self, doing: str) -> Iterator[None]:
        try:
            yield
        except (FileNotFoundError, FileExistsError) as error:
            if "bucket does not exist" in str(error):
                raise StoreError(f"{self.url} cannot be {doing}: {first_line(error)}; create it first") from None
            raise
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - of the network, the service or the credentials, by many libraries
            raise StoreError(
                f"{self.url} cannot be {doing}: {first_line(error)}; look at the address, and at the credentials and "
                "endpoint in the environment; finished shards are kept"
            ) from None


def local_copy(address: str, folder: Path) -> Path:
    """Return where the file at ``address`` lies on this machine: in place, or as a copy in the new ``folder``.

    Raises:
        StoreError: if it cannot be read; the address is a path, or whatever fsspec reaches.
    """
    try:
        with fsspec.open(address, "rb") as file:
            if isinstance(file, LocalFileOpener):
                return Path(file.name)
            folder.mkdir()
            with (folder / "copy").open("wb") as copy:
                shutil.copyfileobj(file, copy, 1 << 20)
    except ImportError as error:
        raise StoreError(f"{address}: needs a package that is not installed ({error})") from None
    except Exception as error:  # noqa: BLE001 - of many libraries
        # Without the error itself, which Prefect would log with the whole address.
        raise StoreError(f"{address}: cannot be read ({first_line(error)})") from None
    return folder / "copy"
