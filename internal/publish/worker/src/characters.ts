// Case conversion of characters as in Go, where the lower case of a character does not depend on its neighbours.

// lowerOf returns a text in lower case, character by character.
export const lowerOf = (text: string): string => text.replace(/[A-Z]+|[^\0-\x7f]/gu, lower)

// lower returns ASCII letters or one other character in lower case.
const lower = (s: string): string => (s < '\x80' ? s.toLowerCase() : String.fromCodePoint(s.toLowerCase().codePointAt(0) as number))

// sameCase returns the same text for texts that differ only in case.
export const sameCase = (text: string): string => text.toUpperCase()
