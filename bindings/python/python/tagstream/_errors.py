"""Exceptions, with the texts of the Rust library."""


class ProfileError(ValueError):
    """A profile, a list of tools or a setting cannot be used.

    `key` is the key that is wrong, `line` its line in the text, both None where there is none.
    """

    def __init__(self, message: str, key: str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.key = key
        self.line = line

    def __reduce__(self) -> tuple[type["ProfileError"], tuple[str, str | None, int | None]]:
        return type(self), (str(self), self.key, self.line)
