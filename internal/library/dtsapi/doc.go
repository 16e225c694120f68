// Package dtsapi describes the API of an npm package in Markdown, from its TypeScript declarations (.d.ts), without running or type-checking
// anything.
//
//  1. Entry points come from package.json: "exports" with its conditions and patterns, or "types", "typings" and "main".
//  2. One scanner cuts a file into statements, and the body of a class, interface or object type into members, each with the JSDoc comment above it.
//     A few patterns say what a statement is: an import, a list of exports, or a declaration. A declaration is shown as it is written.
//  3. Exported names are followed through imports and re-exports, also into other packages, and to the declarations of "export =", of ambient
//     modules (declare module "x"), and of module augmentations.
//  4. Each exported declaration has one section, on the page of the first entry point that exports it. Members with comments have sections of their own.
//
// Declarations are hostile input. Files, bytes, modules, exports and sections are bounded, nothing recurses without a bound, and a reader works in
// linear time. What exceeds a bound is left out, and the page says so.
package dtsapi

// Bounds of the declarations of a package, and of their description.
const (
	MaxFile = 4 << 20 // bytes that are read of a file
	// bytes of all files, of the package and of the packages that it exports from
	maxSource = 16 << 20
	// bytes that a file counts at least: also of files that do not exist
	minFile      = 512
	maxEntries   = 1000     // entry points, and files that a file refers to
	MaxListed    = 20_000   // names of a folder that a pattern is compared with
	maxLinks     = 200_000  // names that all modules export by "export *"
	fewLinks     = 50       // of them, for each module whose turn comes later
	maxMembers   = 2000     // of a class, interface or object type
	maxSignature = 3000     // bytes of a signature
	maxComment   = 16 << 10 // bytes of a JSDoc comment
	maxDepth     = 32       // re-exports, and nested namespaces
	maxText      = 4 << 20  // bytes of all pages of a package
)
