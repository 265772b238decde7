import type { ProtocolMessage, Session } from './session.ts'

/** The protocol and code of an id; undefined where no agreed protocol has it. */
export const kindOf = (
  { agreed }: Pick<Session, 'agreed'>,
  id: number,
): Pick<ProtocolMessage, 'protocol' | 'code'> | undefined => {
  for (const protocol of ['eth', 'istanbul', 'quorate'] as const) {
    const space = agreed?.[protocol]
    const code = id - (space?.offset ?? 0)
    if (space !== undefined && code >= 0 && code < space.ids) return { protocol, code }
  }
  return undefined
}
