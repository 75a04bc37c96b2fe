//! Ways to cut a message, for the tests of the views.

/// Whole, in two at every character, and character by character.
pub fn cuts(message: &str) -> Vec<Vec<&str>> {
    let places = message.char_indices().map(|(at, _)| at);
    let mut cuts = vec![vec![message], every(message)];
    cuts.extend(places.map(|at| vec![&message[..at], &message[at..]]));
    cuts
}

/// Character by character.
pub fn every(message: &str) -> Vec<&str> {
    message
        .split("")
        .filter(|piece| !piece.is_empty())
        .collect()
}

/// All strings of up to `longest` of these pieces.
pub fn strings(pieces: &[&str], longest: usize) -> impl Iterator<Item = String> {
    (0..=longest).flat_map(move |len| {
        (0..pieces.len().pow(len as u32)).map(move |mut number| {
            let mut string = String::new();
            for _ in 0..len {
                string.push_str(pieces[number % pieces.len()]);
                number /= pieces.len();
            }
            string
        })
    })
}
