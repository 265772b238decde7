import { DevelopmentRefused } from '../../development/development.ts'
import { RpcError } from '../../errors.ts'

/** Runs the work. @throws RpcError with the reason where the chain refuses */
export const refusing = async <T>(work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof DevelopmentRefused)
      throw new RpcError('DEVELOPMENT_REFUSED', { detail: cause.message, cause })
    throw cause
  }
}
