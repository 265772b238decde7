import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { escapeText } from '../../../core/text/escapeText.ts'
import { configureLog, logOf } from '../../../runtime/logging/log.ts'
import { openKeySource } from '../../../runtime/auth/jwks.ts'
import { connectionFailureReason } from '../../../runtime/files/reason.ts'
import { shownName } from '../../../runtime/drivers/driverOptions.ts'
import { hideUrlSecrets, shownUrl } from '../../../runtime/text/shownUrl.ts'
import { runHere } from '../commandLine.ts'

const SECRETS = ['hiddenUser', 'hiddenWord', 'hiddenKey']
/** Nothing listens there. */
const URL_WITH_SECRETS = 'http://hiddenUser:hiddenWord@127.0.0.1:1/?token=hiddenKey'

const word = fc
  .string({ unit: fc.constantFrom(...Array.from('abcXYZ0189-._~!$&*+=;%:')), minLength: 1, maxLength: 12 })
  .map(text => `s3cr${encodeURIComponent(text)}`)

const urls = fc
  .record({
    scheme: fc.constantFrom('http', 'https', 'redis', 'rediss', 'postgres', 'wss'),
    user: fc.option(word, { nil: '' }),
    password: word,
    query: fc.option(word, { nil: undefined }),
  })
  .map(
    ({ scheme, user, password, query }) =>
      `${scheme}://${user}:${password}@db.example:6379/1${query === undefined ? '' : `?token=${query}#${query}`}`,
  )

describe('given a URL with user, password or query', () => {
  test('when it is shown, then only scheme and host are', () => {
    expect(shownUrl('https://u:p@[::1]:8545/v2/key?token=t#f')).toBe('https://[::1]:8545')
    expect(shownUrl('redis://:p@10.0.0.7:6379/1')).toBe('redis://10.0.0.7:6379')
    expect(shownUrl('not a URL u:p@h')).toBe('the given URL')
    expect(shownName({ name: 'redis', options: { url: 'redis://u:p@10.0.0.7:6379/1' } })).toBe(
      'redis at 10.0.0.7:6379',
    )
    fc.assert(fc.property(urls, url => expect(shownUrl(url)).not.toContain('s3cr')))
  })

  test('when an error or a line of the log contains it, then neither user, password nor query is shown', () => {
    fc.assert(
      fc.property(urls, fc.constantFrom('', '"', "'", '`', ' ', '('), (url, quote) => {
        const text = `Failed to parse URL from ${quote}${url}${quote}: try again`
        const lines: string[] = []
        for (const format of ['PLAIN', 'JSON'] as const) {
          configureLog({ level: 'INFO', format, colour: false, write: line => lines.push(line) })
          logOf('rpc').warn('The service at {url} failed: {error}', { url, error: new Error(text) })
        }
        for (const shown of [hideUrlSecrets(text), connectionFailureReason(new Error(text)), ...lines])
          expect(shown).not.toContain('s3cr')
        expect(hideUrlSecrets(text)).toContain('db.example:6379')
        expect(lines).toHaveLength(2)
      }),
    )
  })

  test('when a text has no secret, then it is unchanged', () => {
    const text = 'enode://00ff@10.0.0.7:30303 and http://127.0.0.1:8545/liveness, a@b: 3 ? 4'
    expect(hideUrlSecrets(text)).toBe(text)
    const long = `${'a'.repeat(1_000_000)}${'http://'.repeat(20_000)}`
    expect(escapeText(hideUrlSecrets(long))).toBe(long)
  })

  test('when the keys for tokens come from it, then the log does not show it', async () => {
    const lines: string[] = []
    configureLog({ level: 'INFO', format: 'JSON', colour: false, write: line => lines.push(line) })
    ;(await openKeySource(URL_WITH_SECRETS, logOf('rpc'), Date.now)).stop()
    expect(lines).toHaveLength(1)
    for (const secret of SECRETS) expect(lines[0]).not.toContain(secret)
  })

  test.each<readonly [command: string, option: string]>([
    ['doctor', `--url=${URL_WITH_SECRETS}`],
    ['validators list', `--url=${URL_WITH_SECRETS}`],
    ['snapshot create', `--url=${URL_WITH_SECRETS}`],
    ['probe', `--url=${URL_WITH_SECRETS}`],
    ['read', `--upstream=${URL_WITH_SECRETS.replace('http', 'htps')}`],
    ['config show', `--rpc-http-authentication-jwks=${URL_WITH_SECRETS}`],
    ['config show', `--storage=redis?url=${URL_WITH_SECRETS.replace('http', 'redis')}`],
  ])('when it is given to %s, then the output does not show it', async (command, option) => {
    const { out, error } = await runHere([...command.split(' '), option])
    expect(`${out}${error}`).not.toBe('')
    for (const secret of SECRETS) expect(`${out}${error}`).not.toContain(secret)
  })
})
