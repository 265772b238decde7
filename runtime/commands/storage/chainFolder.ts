import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../../cli/errors.ts'
import { SEGMENTS_FILE } from '../../drivers/sqlite.ts'

/** The folder of the chain in a data path. @throws CommandError if it has no chain in SQLite files */
export const chainFolderOf = (dataPath: string): string => {
  const folder = join(dataPath, 'chain')
  if (!existsSync(join(folder, SEGMENTS_FILE)))
    throw new CommandError(
      'DATA_PATH',
      `${dataPath} has no chain of --storage=sqlite: give the --data-path of a node`,
    )
  return folder
}
