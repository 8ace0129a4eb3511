//! File formats of Warcraft III, one file a format.
