// Package publish holds everything that turns a project, or this program, into files for others: npm packages, desktop
// bundles, container images, Cloudflare Workers, registry entries. Each target has a package; what they share decides which
// files are packed and what must never be.
package publish
