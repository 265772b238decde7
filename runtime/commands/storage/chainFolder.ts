import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../../cli/errors.ts'
import { CHAIN_FOLDER } from '../../drivers/open.ts'
import { SEGMENTS_FILE } from '../../drivers/sqliteFolder.ts'
import { forkPath } from '../../fork/forkPath.ts'

/**
 * The folder of the chain in a data path.
 * @throws CommandError if it has no chain in SQLite files, or one of which most is not stored there
 */
export const chainFolderOf = (dataPath: string): string => {
  const folder = join(dataPath, CHAIN_FOLDER)
  if (!existsSync(join(folder, SEGMENTS_FILE)))
    throw new CommandError(
      'DATA_PATH',
      `${dataPath} has no chain of --storage=sqlite: give the --data-path of a node`,
    )
  if (existsSync(forkPath(dataPath)))
    throw new CommandError(
      'DATA_PATH',
      `The chain in ${dataPath} forks another network, so most of it is not stored there: only 'node' can open it`,
    )
  return folder
}
