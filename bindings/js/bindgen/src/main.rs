//! Makes the JavaScript glue of a module: `tagstream-js-bindgen MODULE.wasm FOLDER NAME`.
//!
//! A program of our own rather than the command of `wasm-bindgen`, so that the lock file keeps its
//! version equal to that of the macro.

use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder, name] = &arguments[..] else {
        eprintln!("usage: tagstream-js-bindgen MODULE.wasm FOLDER NAME");
        return ExitCode::from(2);
    };
    let made = Bindgen::new()
        .input_path(module)
        .out_name(name)
        .web(true)
        .and_then(|bindgen| {
            bindgen
                .typescript(true)
                .omit_default_module_path(true)
                .remove_name_section(true)
                .remove_producers_section(true)
                .generate(folder)
        });
    if let Err(error) = made {
        eprintln!("{module}: {error:?}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
