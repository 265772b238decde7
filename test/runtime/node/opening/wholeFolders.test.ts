import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  isWholeWaiting,
  markWholeComplete,
  takeWhole,
  wholePath,
} from '../../../../runtime/node/opening/history/folders.ts'
import { withFolder } from '../../folder.ts'

const write = (folder: string, text: string): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'name'), text)
}

/** The steps of taking the whole chain, each as a stop after it leaves the data path. */
const STEPS: readonly (readonly [string, (dataPath: string) => void])[] = [
  ['nothing', () => undefined],
  ['the pruned chain was set aside', path => renameSync(join(path, 'chain'), join(path, 'chain-replaced'))],
  ['the whole chain has its place', path => renameSync(join(wholePath(path), 'chain'), join(path, 'chain'))],
  ['its folder was set aside', path => renameSync(wholePath(path), `${wholePath(path)}-removed`)],
]

test.each(STEPS.map(([what], index) => [what, index] as const))(
  'given a complete chain beside a pruned one, when a stop came after %s, then the next start has the complete one alone',
  (_, last) =>
    withFolder(path => {
      write(join(path, 'chain'), 'pruned')
      write(join(wholePath(path), 'chain'), 'whole')
      expect(takeWhole(path)).toBe(false)
      markWholeComplete(path)
      expect(isWholeWaiting(path)).toBe(true)
      for (const [, step] of STEPS.slice(0, last + 1)) step(path)
      expect(isWholeWaiting(path)).toBe(last === 0)
      takeWhole(path)
      expect(readFileSync(join(path, 'chain', 'name'), 'utf8')).toBe('whole')
      expect(readdirSync(path)).toEqual(['chain'])
      expect(existsSync(wholePath(path))).toBe(false)
    }),
)
