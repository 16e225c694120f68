import { variables } from './uri.mjs'

// completions chooses a value for each variable of a template, like the user of a picker, from the values that the server offers
// after the previous choices. It follows up to `most` values of each list. It returns every set of choices, and whether every
// list was complete.
export async function completions(client, template, most = Infinity) {
  const ref = { type: 'ref/resource', uri: template }
  let complete = true
  let choices = [{}]
  for (const name of variables(template)) {
    const lists = await Promise.all(choices.map(async (chosen) => {
      const { completion } = await client.complete({ ref, argument: { name, value: '' }, context: { arguments: chosen } })
      const { values, total, hasMore = false } = completion
      if (values.length > 100 || hasMore !== (total > values.length) || new Set(values).size !== values.length) {
        throw new Error(`${template}, ${name}: ${values.length} values of ${total}, hasMore ${hasMore}`)
      }
      complete &&= !hasMore && values.length <= most
      return values.slice(0, most).map((value) => ({ ...chosen, [name]: value }))
    }))
    choices = lists.flat()
  }
  return { choices, complete }
}
