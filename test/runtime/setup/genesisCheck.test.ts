import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withFolder } from '../folder.ts'
import { runCommand } from '../nodeProcess.ts'

setDefaultTimeout(60_000)

type Json = { config: { qbft: Record<string, unknown> } & Record<string, unknown> } & Record<string, unknown>

describe('given genesis check', () => {
  test('when companies have files of one network, then they are well; else each difference is named', () =>
    withFolder(async folder => {
      await runCommand(['network', 'init', join(folder, 'net'), '--validators=4'])
      const ours = join(folder, 'net/genesis.json')
      const theirs = join(folder, 'theirs.json')
      const change = (edit: (genesis: Json) => void): void => {
        const genesis = JSON.parse(readFileSync(ours, 'utf8')) as Json
        edit(genesis)
        writeFileSync(theirs, JSON.stringify(genesis))
      }
      change(() => undefined)
      const same = await runCommand(['genesis', 'check', ours, theirs])
      expect([same.code, same.out]).toEqual([
        0,
        expect.stringContaining('4 validators: a block needs 3 of them, 1 may fail, genesis block 0x'),
      ])
      expect(same.out).toContain('all files are of the same network')

      change(genesis => {
        genesis.config.qbft['blockperiodseconds'] = 7
        genesis.config['cancunTime'] = 2_000_000_000
      })
      const other = await runCommand(['genesis', 'check', ours, theirs])
      expect(other.code).toBe(1)
      expect(other.out).toContain(`WRONG  qbft.blockperiodseconds: 2 in ${ours}, 7 in ${theirs}`)
      expect(other.out).toContain(`differs cancunTime: missing in ${ours}, 2000000000 in ${theirs}`)
      expect(other.out).not.toContain('Both files are of one network')

      change(genesis => {
        genesis.config['cancunTime'] = 2_000_000_000
        genesis.config['transitions'] = { qbft: [{ block: 1_000, blockperiodseconds: 5 }] }
      })
      const planned = await runCommand(['genesis', 'check', ours, theirs])
      expect([planned.code, planned.out.includes('WRONG')]).toEqual([1, false])
      expect(planned.out).toContain('differs transitions.qbft[block 1000].blockperiodseconds: missing in')
      expect(planned.out).toContain(
        `Both files are of one network. If ${theirs} is a plan, give it to every node`,
      )
    }))

  test('when files are damaged, then each gets one line', () =>
    withFolder(async folder => {
      const files: readonly (readonly [string, string])[] = [
        ['half.json', '{"config": {"chainId"'],
        ['deep.json', '['.repeat(100_000)],
        ['none.json', '{}'],
        ['binary.json', '\u0000\u0001'],
      ]
      for (const [name, text] of files) writeFileSync(join(folder, name), text)
      const paths = [...files.map(([name]) => join(folder, name)), join(folder, 'missing.json'), folder]
      const { code, out } = await runCommand(['genesis', 'check', ...paths])
      expect(code).toBe(1)
      expect(out.trimEnd().split('\n')).toEqual(
        paths.map(path => expect.stringContaining(`WRONG  ${path}: `)),
      )
      expect((await runCommand(['genesis', 'check'])).error).toStartWith('Give one or more files')
    }))
})
