import type { Context } from '../context.ts'
import { answerDocuments, RequestError } from '../documents/answer.ts'
import { Library } from '../documents/library.ts'
import type { Json } from '../json.ts'
import { bytesOf } from '../text.ts'
import { argumentsOf, Mistake, texts } from './arguments.ts'

// libraryOf returns the documents of the project.
export function libraryOf({ assets, manifest }: Context): Library {
  if (!manifest.documents) throw new Error('the manifest has no documents')
  return new Library(assets, manifest.documents, manifest.outlines)
}

// callDocuments answers the tool that reads and searches the documents.
export async function callDocuments(context: Context, given: Json | undefined): Promise<string> {
  const [text, list, number] = ['string', 'strings', 'number'] as const
  const args = argumentsOf(given, { paths: list, queryKeywords: list, query: text, alternatives: list, section: text, offset: number, limit: number, page: number })
  const [paths, keywords, alternatives] = [args.paths, args.queryKeywords, args.alternatives].map((all) => all.map(bytesOf)) as [string[], string[], string[]]
  try {
    return texts(await answerDocuments(libraryOf(context), { ...args, paths, keywords, alternatives, query: bytesOf(args.query), section: bytesOf(args.section) }))
  } catch (error) {
    if (error instanceof RequestError) throw new Mistake(error.message)
    throw error
  }
}
