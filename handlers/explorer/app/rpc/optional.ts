import { call } from './client.ts'
import { isRefused } from './failure.ts'
import { token } from './session.ts'

/** Methods that this node does not serve, or the token does not permit: asked once, as each refusal is logged there. */
const refused = new Set<string>()
token.watch(() => refused.clear())

/** The result of a method; undefined where there is none. */
export const optional = async <T>(method: string): Promise<T | undefined> => {
  if (refused.has(method)) return undefined
  try {
    return await call<T>(method)
  } catch (error) {
    if (isRefused(error)) refused.add(method)
    return undefined
  }
}
