import { keyValueOfDriver } from '../../core/store/keyvalue/driverStore.ts'
import { postgresqlDriver } from '../drivers/postgresql.ts'
import { openSqlPool } from '../drivers/postgresqlClient.ts'
import { createWorker } from './createWorker.ts'
import { SettingsError } from './settings.ts'

/** The Worker over PostgreSQL by Hyperdrive; its client is in no other bundle. */
export default createWorker(async ({ HYPERDRIVE, CHAIN, DATABASE, VALUES, VALUES_KV }) => {
  if (HYPERDRIVE === undefined)
    throw new SettingsError('HYPERDRIVE', 'it is not bound, and this Worker reads from PostgreSQL')
  if ([CHAIN, DATABASE, VALUES, VALUES_KV].some(bound => bound !== undefined))
    throw new SettingsError(
      'HYPERDRIVE',
      'with it the node writes everything to PostgreSQL: bind nothing else',
    )
  const pool = await openSqlPool({ url: HYPERDRIVE.connectionString, connectionsMax: 1 })
  return keyValueOfDriver(postgresqlDriver(pool), 'synced')
})
