# To be sourced: builds the command and the Python package, and installs the engines, into target/scale.
# Sets `venv` and `TAGSTREAM`.
target="${CARGO_TARGET_DIR:-$root/target}"
venv="$target/scale/venv"
export PYTHONPATH="$root/examples/scale"

install() { # PROFILE REQUIREMENTS
    local wheels="$target/scale/wheels" folder="$1"
    [ "$1" = release ] || folder=debug
    [ -x "$venv/bin/pip" ] || python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$root/examples/scale/$2"
    cargo build --quiet --profile "$1" --locked --manifest-path "$root/Cargo.toml" --package tagstream-cli
    export TAGSTREAM="$target/$folder/tagstream"
    rm -rf "$wheels"
    (cd "$root/bindings/python" && CARGO_TARGET_DIR="$target" "$venv/bin/maturin" build --quiet --strip --profile "$1" --locked --out "$wheels")
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheels"/*.whl
}
