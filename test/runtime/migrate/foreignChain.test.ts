import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { foreignChainWarning } from '../../../runtime/migrate/foreignChain.ts'
import { withFolder } from '../folder.ts'

test('given a data path, when it holds the database of another client, then the way to migrate is named', () =>
  withFolder(folder => {
    mkdirSync(join(folder, 'chain'))
    expect(foreignChainWarning(folder)).toBeUndefined()
    mkdirSync(join(folder, 'geth/chaindata'), { recursive: true })
    expect(foreignChainWarning(folder)).toContain(`The database of GoQuorum in ${folder} is not read`)
    mkdirSync(join(folder, 'database'))
    expect(foreignChainWarning(folder)).toContain(`migrate --from-besu=${folder}`)
    expect(foreignChainWarning(join(folder, 'none'))).toBeUndefined()
  }))
