# To be sourced: builds the Python package, which has the command too, and installs it and the engines into
# target/scale. Sets `venv` and `TAGSTREAM`, the command.
target="${CARGO_TARGET_DIR:-$root/target}"
venv="$target/scale/venv"
export TAGSTREAM="$venv/bin/tagstream" PYTHONPATH="$root/examples/scale"

install() { # PROFILE REQUIREMENTS
    local wheels="$target/scale/wheels"
    [ -x "$venv/bin/pip" ] || python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$root/examples/scale/$2"
    rm -rf "$wheels"
    (cd "$root/bindings/python" && CARGO_TARGET_DIR="$target" "$venv/bin/maturin" build --quiet --strip --profile "$1" --locked --out "$wheels")
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheels"/*.whl
}
