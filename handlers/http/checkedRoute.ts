import type { Cors } from './cors.ts'
import type { OwnOrigin } from './ownOrigin.ts'

/** @param peer returns the address of the other end of the connection. */
export type Route = (request: Request, peer: () => string) => Response | Promise<Response>

export type RouteChecks = {
  /** The host allowlist (hosts.ts). */
  readonly refusedHost: (request: Request) => Response | undefined
  readonly cors: Cors
  /** True for an origin that is served without CORS; none by default. */
  readonly isOwnOrigin?: OwnOrigin
}

/** Checks the host allowlist and the origin before a request reaches the route. */
export const checkedRoute =
  ({ refusedHost, cors, isOwnOrigin = () => false }: RouteChecks, route: Route): Route =>
  (request, peer) => {
    const refusal = refusedHost(request)
    if (refusal !== undefined) return refusal
    const origin = request.headers.get('origin')
    if (origin === null || origin === '' || isOwnOrigin(request, origin)) return route(request, peer)
    const answered = cors.answer(request, origin)
    if (answered !== undefined) return answered
    return Promise.resolve(route(request, peer)).then(response => cors.allow(response, origin))
  }
