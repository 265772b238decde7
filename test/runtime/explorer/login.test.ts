import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHROMIUM, openPage, type Page } from '../../support/programs/chromium.ts'
import { type NodeProcess, PROCESS_TEST_TIMEOUT_MS, startNode } from '../nodeProcess.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const PASSWORD = 'correct horse'

/** Every user has the same password. */
const usersFile = (hash: string, permissions: Readonly<Record<string, readonly string[]>>): string =>
  Object.entries(permissions)
    .map(
      ([name, granted]) =>
        `[Users.${name}]\npassword = "${hash}"\npermissions = ${JSON.stringify(granted)}\n`,
    )
    .join('\n')

describe.skipIf(CHROMIUM === undefined)('given a node that asks for tokens', () => {
  let folder: string
  let node: NodeProcess
  let page: Page

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quorate-login-'))
    const users = join(folder, 'users.toml')
    const hash = Bun.password.hashSync(PASSWORD, { algorithm: 'bcrypt', cost: 4 })
    writeFileSync(users, usersFile(hash, { alice: ['eth:*', 'net:*'], nobody: [] }), { mode: 0o600 })
    node = await startNode(join(folder, 'data'), [
      '--rpc-http-authentication-enabled',
      `--rpc-http-authentication-credentials-file=${users}`,
    ])
    page = await openPage(CHROMIUM as string)
  })
  afterAll(async () => {
    await page?.close()
    await node?.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  const shows = (text: string): Promise<void> =>
    page.until(`document.querySelector('main')?.innerText.includes(${JSON.stringify(text)}) === true`)
  const submit = async (values: Readonly<Record<string, string>>): Promise<void> => {
    await page.until("document.querySelector('[name=token]') !== null")
    await page.evaluate(
      `for (const [name, value] of ${JSON.stringify(Object.entries(values))})
         document.querySelector(\`[name=\${name}]\`).value = value;
       document.querySelector('[name=${Object.keys(values)[0]}]').form.requestSubmit()`,
    )
  }
  const logOut = async (): Promise<void> => {
    await page.evaluate("document.querySelector('footer button').click()")
    await page.until("document.querySelector('[name=token]') !== null")
  }

  test('when a wrong password or a token that is not valid is given, then the page says so', async () => {
    await page.open(`${node.url}/explorer`)
    await shows('This node asks for a token.')
    await submit({ username: 'alice', password: 'wrong' })
    await shows('User name or password is wrong.')
    await submit({ token: 'not a token' })
    await shows('The node refused the token')
  })

  test('when the user may not read blocks, then the first page says so, and claims nothing about them', async () => {
    await submit({ username: 'nobody', password: PASSWORD })
    await shows('Your token does not permit eth_blockNumber.')
    expect(await page.evaluate("document.querySelector('main').innerText")).not.toContain('no transactions')
    await logOut()
  })

  test('when a user logs in on the page of the login, then the first page follows, and pages have their data', async () => {
    await page.open(`${node.url}/explorer/login`)
    await submit({ username: 'alice', password: PASSWORD })
    await page.until("location.pathname === '/explorer'")
    await shows('The last hundred blocks have no transactions.')
    await page.open(`${node.url}/block/0x0`)
    await shows('Block 0')
    await shows('Overview')
    expect(page.failures).toEqual([])
  })
})
