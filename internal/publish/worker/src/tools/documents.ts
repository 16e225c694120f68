import type { Context } from '../context.ts'
import { answerDocuments, RequestError } from '../documents/answer.ts'
import { Library } from '../documents/library.ts'
import type { Json } from '../json.ts'
import { bytesOf } from '../text.ts'
import { argumentsOf, Mistake } from './arguments.ts'
import { texts } from './output.ts'

// libraryOf returns the documents of the project.
export function libraryOf({ assets, manifest }: Context): Library {
  if (!manifest.documents) throw new Error('the manifest has no documents')
  return new Library(assets, manifest.documents, manifest.outlines)
}

// callDocuments answers the tool that reads and searches the documents.
export async function callDocuments(context: Context, given: Json | undefined): Promise<string> {
  const args = argumentsOf(given, {
    paths: 'strings',
    queryKeywords: 'strings',
    query: 'string',
    alternatives: 'strings',
    section: 'string',
    offset: 'number',
    limit: 'number',
  })
  try {
    return texts(
      await answerDocuments(libraryOf(context), {
        paths: args.paths.map(bytesOf),
        keywords: args.queryKeywords.map(bytesOf),
        query: bytesOf(args.query),
        alternatives: args.alternatives.map(bytesOf),
        section: bytesOf(args.section),
        offset: args.offset,
        limit: args.limit,
      }),
    )
  } catch (error) {
    if (error instanceof RequestError) throw new Mistake(error.message)
    throw error
  }
}
