import { describe, expect, test } from 'bun:test'
import { createCors } from '../../../handlers/http/cors.ts'
import { createHostCheck } from '../../../handlers/http/hosts.ts'
import { allowedOrigins } from '../../../runtime/node/servers/origins.ts'

const OPTION = '--rpc-http-cors-origins'

describe('given a list of hosts or origins', () => {
  test('when one is refused, then the log names it once, escaped, with the option that allows it', () => {
    const lines: string[] = []
    const warn = (text: string): void => void lines.push(text)
    const cors = createCors([], OPTION, warn)
    const refused = createHostCheck(['localhost'], warn)
    for (let count = 0; count < 3; count++) {
      expect(cors.refuse('http://a\u001b[31m.example')?.status).toBe(403)
      expect(refused({ headers: new Headers({ host: 'evil.example:80' }) })?.status).toBe(403)
    }
    expect(lines).toEqual([
      `Refused a request of a page with the origin "http://a\\u001b[31m.example": ${OPTION} does not name it`,
      'Refused a request to the host "evil.example": --host-allowlist does not name it',
    ])
  })

  test('when a client sends many, then the log ends after the first ones', () => {
    let lines = 0
    const cors = createCors([], OPTION, () => void lines++)
    for (let index = 0; index < 1_000; index++) cors.refuse(`http://${index}.example`)
    expect(lines).toBe(64)
  })
})

describe('given a development chain without an option of origins', () => {
  const cors = createCors(allowedOrigins([], { development: {} as never }), OPTION, () => undefined)

  test.each([
    'http://localhost:3000',
    'https://localhost',
    'http://127.0.0.1:5173',
    'http://[::1]:8080',
    'http://app.localhost:3000',
    'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn',
    'moz-extension://0c5cdb5e-0000-4000-8000-000000000000',
    'tauri://localhost',
    'Titanoboa',
  ])('when a page of %s calls, then it is served', origin => {
    expect(cors.refuse(origin)).toBeUndefined()
  })

  test.each([
    'https://evil.example',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'http://evil.example/localhost',
    'http://evil.localhost.example',
    'http://localhost:3000@evil.example',
    'null',
  ])('when a page of %s calls, then it is refused', origin => {
    expect(cors.refuse(origin)?.status).toBe(403)
  })
})

test('given a network, when a page of this machine calls without an option, then it is refused', () => {
  const cors = createCors(allowedOrigins([], { development: undefined }), OPTION, () => undefined)
  expect(cors.refuse('http://localhost:3000')?.status).toBe(403)
})
