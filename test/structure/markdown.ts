import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FOLDERS, ROOT } from './source.ts'

export type Page = {
  /** From the root, with forward slashes. */
  readonly path: string
  readonly text: string
}

/** Every page of the repository. */
export const pages = (): readonly Page[] =>
  [
    'README.md',
    ...['.github', ...FOLDERS].flatMap(folder =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter(name => name.endsWith('.md'))
        .map(name => `${folder}/${name.replaceAll('\\', '/')}`),
    ),
  ]
    .sort()
    .map(path => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))

export type Fence = {
  readonly page: string
  /** Of the opening line, from 1. */
  readonly line: number
  /** `text` for plain text, such as a list of folders. */
  readonly language: string
  readonly text: string
  /** Why no test runs it, from `<!-- not run: reason -->` on the line before. */
  readonly notRun: string | undefined
}

/** The fenced blocks of a page in their order. */
export const fencesOf = ({ path, text }: Page): readonly Fence[] =>
  [...text.matchAll(/^(?:<!-- not run: (.+) -->\n)?```(\w*)\n([^]*?)^```$/gm)].map(match => ({
    page: path,
    line: text.slice(0, match.index).split('\n').length + (match[1] === undefined ? 0 : 1),
    language: match[2] as string,
    text: match[3] as string,
    notRun: match[1],
  }))

/** The page without its fenced blocks. */
export const proseOf = (text: string): string => text.replace(/^```[^]*?^```$/gm, '')

/** GitHub's anchor of a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')

/** The anchors of a page's headings. */
export const anchorsOf = (text: string): readonly string[] =>
  [...proseOf(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => anchorOf(heading as string))
