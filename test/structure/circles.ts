import { importsOf, sourceFiles } from './source.ts'

/** What lies directly in a folder: a folder, or a file by itself. */
const partIn = (folder: string, path: string): string =>
  path
    .split('/')
    .slice(0, folder.split('/').length + 1)
    .join('/')

/** The folders that a file is in, the nearest one last. */
const ancestorsOf = (path: string): readonly string[] =>
  path.split('/').flatMap((_, index, names) => (index === 0 ? [] : [names.slice(0, index).join('/')]))

type Graph = ReadonlyMap<string, ReadonlyMap<string, string>>

type Imports = readonly (readonly [from: string, imported: string])[]

/** The parts of a folder that import each other, by value or by type, with one import for each arrow. */
const graphOf = (folder: string, isPart: (path: string) => boolean, imports: Imports): Graph => {
  const graph = new Map<string, Map<string, string>>()
  for (const [path, imported] of imports) {
    if (!path.startsWith(`${folder}/`) || !imported.startsWith(`${folder}/`)) continue
    const [from, to] = [partIn(folder, path), partIn(folder, imported)]
    if (from === to || !isPart(from) || !isPart(to)) continue
    const arrows = graph.get(from) ?? new Map<string, string>()
    graph.set(from, arrows)
    if (!arrows.has(to)) arrows.set(to, `${path} imports ${imported}`)
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

const circlesOf = (graph: Graph): readonly (readonly string[])[] =>
  [...graph].flatMap(([from, arrows]) =>
    [...arrows].flatMap(([to, arrow]) => {
      const back = wayBetween(graph, to, from, new Set())
      return back === undefined ? [] : [[arrow, ...back]]
    }),
  )

/**
 * For each arrow that lies on a circle: the imports that form one. Between the parts of a room, which are folders and files,
 * and between the folders of each folder below it but the exempt ones.
 */
export const circlesIn = (room: string, exempt: ReadonlySet<string>): readonly (readonly string[])[] => {
  const files = sourceFiles(room)
  const imports = files.flatMap(file => importsOf(file).map(imported => [file.path, imported] as const))
  const folders = new Set(files.flatMap(({ path }) => ancestorsOf(path)))
  const below = [...folders].filter(folder => folder.startsWith(`${room}/`) && !exempt.has(folder))
  return [
    ...circlesOf(graphOf(room, () => true, imports)),
    ...below.flatMap(folder => circlesOf(graphOf(folder, path => folders.has(path), imports))),
  ]
}
