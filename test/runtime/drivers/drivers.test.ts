import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyValueOfDriver } from '../../../core/store/keyvalue/driverStore.ts'
import { openStorage } from '../../../runtime/drivers/open.ts'
import { type DriverPlace, testDriver } from '../../support/stores/driverSuite.ts'
import { stringDriver } from '../../support/stores/stringDriver.ts'

const folderPlace = async (storage: string): Promise<DriverPlace> => {
  const path = mkdtempSync(join(tmpdir(), 'quorate-driver-'))
  return {
    open: () => openStorage(storage, path),
    remove: async () => rmSync(path, { recursive: true, force: true }),
  }
}

testDriver('sqlite', { place: () => folderPlace('sqlite'), keeps: true })
testDriver('fs', { place: () => folderPlace('fs'), keeps: true })
testDriver('memory', { place: () => folderPlace('memory'), keeps: false })

testDriver('of strings', {
  place: async () => {
    const items = new Map<string, string>()
    return { open: async () => keyValueOfDriver(stringDriver(items), 'none'), remove: async () => {} }
  },
  keeps: true,
})
