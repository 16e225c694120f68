// Package dev groups programs and test helpers for developers of this repository: benchmarks, generators, releases,
// PostgreSQL and PDF files for tests. No part of the server imports them.
package dev
