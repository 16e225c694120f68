import { textOf } from '../documents/text.ts'

// What tools answer.

const block = (text: string): string => `{"type":"text","text":${JSON.stringify(text)}}`

// texts returns the members of a result with some texts, which are bytes.
export const texts = (all: readonly string[]): string => `"content":[${all.map((bytes) => block(textOf(bytes))).join(',')}]`

// failed returns the members of a result that reports a mistake to the model.
export const failed = (message: string): string => `"content":[${block(message)}],"isError":true`

// asText returns a value as JSON in a text, which Go writes without the characters that some readers take for line ends.
export const asText = (value: unknown): string =>
  `"content":[${block(JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029'))}]`
