// Package dev groups programs and test helpers for developers of this repository: benchmarks, generators, releases,
// PostgreSQL and PDF files for tests, the files that tests start with, and checks of errors. No part of the server imports them.
package dev
