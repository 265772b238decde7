import { plugin } from 'bun'
import { readFileSync } from 'node:fs'
import { instrumented } from './coverage.ts'
import { PLANTED_FAULTS, type PlantedFault } from './faults.ts'

export type Preparation = { readonly plant: string | undefined; readonly isCovered: boolean }

/** The source with the fault in it. @throws when the text does not stand there exactly once */
export const planted = ({ name, file, text, instead }: PlantedFault, source: string): string => {
  const places = source.split(text).length - 1
  if (places !== 1) throw new Error(`${name}: its place stands ${places} times in ${file}, not once`)
  return source.replace(text, () => instead)
}

/** Has Bun load core/qbft with a planted fault, or with counters in its branches. */
export const prepareSource = ({ plant, isCovered }: Preparation): void => {
  const fault = PLANTED_FAULTS.find(({ name }) => name === plant)
  if (plant === 'list' || (fault === undefined && !isCovered)) return
  plugin({
    name: 'changed core/qbft',
    setup: build => {
      build.onLoad({ filter: /core\/(?:qbft|validators)\/.*\.ts$/ }, ({ path }) => {
        const source = readFileSync(path, 'utf8')
        const file = path.slice(path.lastIndexOf('core/'))
        const changed = fault?.file === file ? planted(fault, source) : source
        return { contents: isCovered ? instrumented(file, changed) : changed, loader: 'ts' }
      })
    },
  })
}
