// Package capture groups the packages that read the web. Only webclient connects to hosts that a link or an agent
// names; apiclient connects to services that the operator configured. The others fetch, render, crawl, store and serve
// pages, and define the tools with which agents do so. No package outside this wing connects to a host that a link or
// an agent names.
package capture
