import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openLogFile } from '../../../runtime/logging/logFile.ts'
import { until } from '../../support/until.ts'
import { withFolder } from '../folder.ts'
import { isInstalled, type RuntimeName, startNode } from '../nodeProcess.ts'

const opened = (folder: string, bytesMax = 20, kept = 2) => {
  const failures: string[] = []
  const path = join(folder, 'logs', 'node.log')
  const file = openLogFile({ path, bytesMax, kept, onFailure: reason => void failures.push(reason) })
  const text = (name = path): string => readFileSync(name, 'utf8')
  return { file, path, text, failures }
}

describe('given a log file', () => {
  test('when it would become too long, then it is rotated and the oldest goes', () =>
    withFolder(folder => {
      const { file, path, text } = opened(folder)
      for (const line of ['1', '2', '3', '4']) file.write(`line number ${line}`)
      file.close()
      expect([text(), text(`${path}.1`), text(`${path}.2`)]).toEqual([
        'line number 4\n',
        'line number 3\n',
        'line number 2\n',
      ])
      expect(existsSync(`${path}.3`)).toBe(false)
    }))

  test('when none is kept, then it begins anew', () =>
    withFolder(folder => {
      const { file, path, text } = opened(folder, 20, 0)
      for (const line of ['1', '2']) file.write(`line number ${line}`)
      file.close()
      expect(text()).toBe('line number 2\n')
      expect(existsSync(`${path}.1`)).toBe(false)
    }))

  test('when it was moved and is opened again, then further lines go to a new one', () =>
    withFolder(folder => {
      const { file, path, text } = opened(folder, 1000)
      file.write('before')
      renameSync(path, `${path}.old`)
      file.write('still there')
      file.reopen()
      file.write('after')
      file.close()
      expect([text(`${path}.old`), text()]).toEqual(['before\nstill there\n', 'after\n'])
    }))

  test('when it cannot be written, then that is reported once and nothing is thrown', () =>
    withFolder(folder => {
      const { file, path, failures } = opened(folder, 1000)
      rmSync(join(folder, 'logs'), { recursive: true })
      mkdirSync(path, { recursive: true })
      file.reopen()
      file.write('lost')
      file.write('lost')
      file.close()
      expect(failures).toHaveLength(1)
    }))
})

for (const runtime of ['bun', 'node', 'deno'] as const satisfies readonly RuntimeName[])
  test.skipIf(!isInstalled(runtime))(
    `given a node on ${runtime} with a log file, when it gets SIGHUP, then it opens the file again and goes on`,
    () =>
      withFolder(async folder => {
        const path = join(folder, 'node.log')
        const node = await startNode(join(folder, 'data'), [`--log-file=${path}`], { runtime })
        try {
          expect(readFileSync(path, 'utf8')).toContain('Listening on')
          renameSync(path, `${path}.1`)
          process.kill(node.pid, 'SIGHUP')
          await until(() => existsSync(path) && readFileSync(path, 'utf8').includes('SIGHUP'))
          expect(await node.rpc<string>('eth_chainId')).toBe('0x539')
          expect(await node.stop()).toBe(0)
          expect(readFileSync(path, 'utf8')).toContain('Stopped')
        } finally {
          await node.kill()
        }
      }),
    60_000,
  )
