// Package dev holds programs and test helpers for developers of this repository. No part of the server imports it.
package dev
