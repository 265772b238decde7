import { StorageUnavailable } from './storageUnavailable.ts'

const CODES: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'])

const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  (CODES.has((error as { code?: unknown }).code) || /cannot find (?:module|package)/i.test(error.message))

/**
 * Loads the client library of a driver, which is an optional dependency.
 * @throws StorageUnavailable with the command that installs it when it is not there
 */
export const loadOptional = async <Module>(
  driver: string,
  name: string,
  load: () => Promise<Module>,
): Promise<Module> => {
  try {
    return await load()
  } catch (cause) {
    if (!isMissing(cause)) throw cause
    throw new StorageUnavailable(
      `the storage ${driver} needs the package ${name}, which is not installed: run bun add ${name} (or npm install ${name})`,
      { cause },
    )
  }
}
