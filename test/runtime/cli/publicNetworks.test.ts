import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withFolder } from '../folder.ts'
import { PROCESS_TEST_TIMEOUT_MS, runCommand } from '../nodeProcess.ts'
import { PUBLIC_FILES } from './publicNetworks.ts'

describe('given the configuration files of public networks of Besu', () => {
  test.each(PUBLIC_FILES)(
    'when $network’s is checked, then one answer says everything',
    ({ toml, refused, others = [] }) =>
      withFolder(async folder => {
        const path = join(folder, 'config.toml')
        writeFileSync(path, toml)
        const { code, out, error } = await runCommand(['validate-config', `--config-file=${path}`])
        const lines = error.split('\n').map(line => line.replace(/^- /, ''))
        const named = lines.flatMap(line => /^Option '(.+)' is refused: /.exec(line)?.[1] ?? [])
        expect(named).toEqual([...refused])
        for (const other of others) expect(lines.some(line => line.startsWith(other))).toBe(true)
        const isFine = refused.length + others.length === 0
        expect(code).toBe(isFine ? 0 : 2)
        if (isFine) expect(out).toContain('TOML config file is valid')
        else expect(lines[0]).toBe(`${refused.length + others.length} settings are refused:`)
      }),
    PROCESS_TEST_TIMEOUT_MS,
  )
})
