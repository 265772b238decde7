import { importsOf, sourceFiles } from './source.ts'

/** A folder directly below a room, or a file that lies there by itself. */
const partOf = (path: string): string => path.split('/').slice(0, 2).join('/')

type Graph = ReadonlyMap<string, ReadonlyMap<string, string>>

/** The parts of a room that import each other, by value or by type, with one import for each arrow. */
const graphOf = (room: string): Graph => {
  const graph = new Map<string, Map<string, string>>()
  for (const file of sourceFiles(room))
    for (const imported of importsOf(file)) {
      const [from, to] = [partOf(file.path), partOf(imported)]
      if (!imported.startsWith(`${room}/`) || from === to) continue
      const arrows = graph.get(from) ?? new Map<string, string>()
      graph.set(from, arrows)
      if (!arrows.has(to)) arrows.set(to, `${file.path} imports ${imported}`)
    }
  return graph
}

/** The imports on a way from `from` to `to`; undefined where there is none. */
const wayBetween = (
  graph: Graph,
  from: string,
  to: string,
  visited: Set<string>,
): readonly string[] | undefined => {
  if (from === to) return []
  visited.add(from)
  for (const [next, arrow] of graph.get(from) ?? []) {
    if (visited.has(next)) continue
    const rest = wayBetween(graph, next, to, visited)
    if (rest !== undefined) return [arrow, ...rest]
  }
  return undefined
}

/** For each arrow that lies on a circle of folders: the imports that form one. Empty where there is no circle. */
export const circlesIn = (room: string): readonly (readonly string[])[] => {
  const graph = graphOf(room)
  return [...graph].flatMap(([from, arrows]) =>
    [...arrows].flatMap(([to, arrow]) => {
      const back = wayBetween(graph, to, from, new Set())
      return back === undefined ? [] : [[arrow, ...back]]
    }),
  )
}
