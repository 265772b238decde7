import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './source.ts'

type Target = { readonly types: string; readonly default: string }

/** What the package exports: the name after `quorate`, and the file of the sources that it is compiled from. */
export const exportedFiles = (): readonly (Target & { readonly name: string; readonly source: string })[] => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, Target>>
  }
  return Object.entries(exports).map(([name, target]) => ({
    ...target,
    name,
    source: target.default.replace(/^\.\/dist\/(.*)\.js$/, '$1.ts'),
  }))
}
