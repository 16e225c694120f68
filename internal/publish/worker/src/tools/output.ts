import { textOf } from '../documents/text.ts'

// Results of tools.

const block = (text: string): string => `{"type":"text","text":${JSON.stringify(text)}}`

// texts returns the members of a result with some texts, which are bytes.
export const texts = (all: readonly string[]): string => `"content":[${all.map((bytes) => block(textOf(bytes))).join(',')}]`

// failed returns the members of a result that reports a mistake to the model.
export const failed = (message: string): string => `"content":[${block(message)}],"isError":true`

// asText returns a value as JSON. Like Go, it escapes the characters that some readers treat as line ends.
export const asText = (value: unknown): string =>
  `"content":[${block(JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029'))}]`
