import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/** The checkout. */
export const ROOT: string = resolve(import.meta.dir, '../..')

/** The folders that hold code, as they may be there. */
export const FOLDERS = ['core', 'handlers', 'p2p', 'runtime', 'test'] as const

export type SourceFile = {
  /** From the root, with forward slashes. */
  readonly path: string
  readonly text: string
}

const listFiles = (folder: string): readonly string[] => {
  try {
    return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => relative(ROOT, join(entry.parentPath, entry.name)))
  } catch (cause) {
    // Not every folder of the design is there yet.
    if ((cause as { code?: string }).code === 'ENOENT') return []
    throw cause
  }
}

/** Every TypeScript file, with JSX or without, below the folders. */
export const sourceFiles = (...folders: readonly string[]): readonly SourceFile[] =>
  folders
    .flatMap(listFiles)
    .filter(path => /\.tsx?$/.test(path))
    .sort()
    .map(path => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))

/** Where a string, template part or comment that begins at `start` ends; `start` itself where none begins. */
const skipQuoted = (text: string, start: number): number => {
  const two = text.slice(start, start + 2)
  if (two === '//')
    return Math.max(start, text.indexOf('\n', start) < 0 ? text.length : text.indexOf('\n', start))
  if (two === '/*') return text.indexOf('*/', start) + 2
  const quote = text[start]
  if (quote !== "'" && quote !== '"') return start
  let end = start + 1
  while (end < text.length && text[end] !== quote && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1
  return end + 1
}

/** The code without comments and without the text of strings; what stands inside `${}` is kept. */
export const codeOf = (text: string): string => {
  let code = ''
  /** For each open template, how many braces are open inside its `${}`. */
  const braces: number[] = []
  let inTemplate = false
  for (let i = 0; i < text.length; ) {
    const character = text[i] as string
    if (inTemplate) {
      if (character === '\\') i += 2
      else if (character === '`') {
        inTemplate = false
        i++
      } else if (character === '$' && text[i + 1] === '{') {
        braces.push(0)
        inTemplate = false
        i += 2
        code += ' '
      } else i++
      continue
    }
    const end = skipQuoted(text, i)
    if (end > i) {
      code += ' '
      i = end
      continue
    }
    if (character === '`') inTemplate = true
    else if (character === '}' && braces.at(-1) === 0) {
      braces.pop()
      inTemplate = true
    } else {
      if (character === '{' && braces.length > 0) braces[braces.length - 1] = (braces.at(-1) as number) + 1
      if (character === '}' && braces.length > 0) braces[braces.length - 1] = (braces.at(-1) as number) - 1
      code += character
    }
    i++
  }
  return code
}

/** What a file imports: relative ones as paths from the root, others by name. Types count too. */
export const importsOf = ({ path, text }: SourceFile): readonly string[] => {
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s+['"]([^'"]+)['"]|(?:^|\W)import\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)import\s+['"]([^'"]+)['"]/g,
  )
  return [...found].map(match => {
    const name = (match[1] ?? match[2] ?? match[3]) as string
    return name.startsWith('.') ? relative(ROOT, resolve(ROOT, dirname(path), name)) : name
  })
}
