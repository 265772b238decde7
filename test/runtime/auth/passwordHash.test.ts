import { describe, expect } from 'bun:test'
import { join } from 'node:path'
import { compareSync } from 'bcryptjs'
import { isInstalled, ROOT, runCommand, type RuntimeName } from '../nodeProcess.ts'
import { RUNTIME_COMMANDS, RUNTIMES } from '../../support/programs/runtimeCommands.ts'
import { independent as test } from '../../support/scenario.ts'

const BESU_FORM = /^\$2a\$10\$[./A-Za-z0-9]{53}\n$/

/** Types into a terminal of its own; each text once the one before it has been answered with its prompt. */
const typeInto = async (
  runtime: RuntimeName,
  typed: readonly (readonly [prompt: string, text: string])[],
): Promise<{ readonly code: number; readonly shown: string }> => {
  let shown = ''
  let next = 0
  const child = Bun.spawn([...RUNTIME_COMMANDS[runtime], join(ROOT, 'runtime/main.ts'), 'password', 'hash'], {
    cwd: ROOT,
    terminal: {
      data: (terminal, data) => {
        shown += new TextDecoder().decode(data)
        const [prompt, text] = typed[next] ?? []
        if (prompt === undefined || text === undefined || !shown.endsWith(prompt)) return
        next++
        terminal.write(text)
      },
    },
  })
  const code = await child.exited
  child.terminal?.close()
  return { code, shown }
}

describe.each(RUNTIMES)('password hash on %s', runtime => {
  const skipped = !isInstalled(runtime)

  test.skipIf(skipped)('given --password, then it prints a hash as Besu writes it', async () => {
    const { code, out, error } = await runCommand(['password', 'hash', '--password=pässword 1'], { runtime })
    expect([code, error]).toEqual([0, ''])
    expect(out).toMatch(BESU_FORM)
    expect(compareSync('pässword 1', out.trim())).toBe(true)
    expect(compareSync('pässword 2', out.trim())).toBe(false)
  })

  test.skipIf(skipped)('given standard input, then that is the password, without its line end', async () => {
    for (const input of runtime === 'bun' ? ['secret', 'secret\n', 'secret\r\n'] : ['secret\r\n']) {
      const { code, out } = await runCommand(['password', 'hash'], { runtime, input })
      expect(code).toBe(0)
      expect(out).toMatch(BESU_FORM)
      expect(compareSync('secret', out.trim())).toBe(true)
    }
  })

  // A pseudo-terminal is a matter of POSIX.
  test.skipIf(skipped || process.platform === 'win32')(
    'given a terminal, then it asks twice and shows nothing of what is typed',
    async () => {
      const right = await typeInto(runtime, [
        ['Password: ', 'sx\u007fecret ä\r'],
        ['Again: ', 'secret ä\r'],
      ])
      expect(right.code).toBe(0)
      expect(right.shown).not.toContain('ecret')
      const hash = /\$2a\$10\$[./A-Za-z0-9]{53}/.exec(right.shown)?.[0] ?? ''
      expect(compareSync('secret ä', hash)).toBe(true)
      const pasted = await typeInto(runtime, [['Password: ', 'both at once\rboth at once\r']])
      expect(pasted.code).toBe(0)
      const wrong = await typeInto(runtime, [
        ['Password: ', 'one\r'],
        ['Again: ', 'two\r'],
      ])
      expect(wrong.code).toBe(1)
      expect(wrong.shown).toContain('The two passwords differ')
      const stopped = await typeInto(runtime, [['Password: ', 'on\u0003']])
      expect(stopped.code).toBe(1)
      expect(stopped.shown).toContain('No password was given')
    },
  )
})

describe('given a password that bcrypt cannot hash', () => {
  test.each([
    ['empty', '', 'The password is empty'],
    ['longer than 72 bytes', 'ä'.repeat(37), 'it is longer than 72 bytes, and bcrypt would ignore the rest'],
    ['with a zero byte', 'a\0b', 'it has a zero byte'],
  ])('when it is %s, then it is refused, and not shown', async (_, input, text) => {
    const { code, out, error } = await runCommand(['password', 'hash'], { input: `${input}\n` })
    expect([code, out]).toEqual([1, ''])
    expect(error).toContain(text)
    if (input !== '') expect(error).not.toContain(input)
  })

  test('when it is far longer than any password, then reading ends', async () => {
    const { code, error } = await runCommand(['password', 'hash'], { input: 'x'.repeat(100_000) })
    expect(code).toBe(1)
    expect(error).toContain('The password cannot be read: standard input is longer than 4096 bytes')
  })

  test('when the subcommand is missing, then it is named', async () => {
    const { code, error } = await runCommand(['password'])
    expect(code).toBe(2)
    expect(error).toContain("Missing or unknown subcommand of 'password': there are password hash")
  })
})
