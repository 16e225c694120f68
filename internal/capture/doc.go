// Package capture holds everything that reads the web: one package dials out, others fetch, render, crawl, keep
// and serve pages, and define the tools with which agents do so. Nothing outside this wing opens a connection to a host
// that somebody else names.
package capture
