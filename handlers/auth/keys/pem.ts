const OBJECT = /-----BEGIN ([^-\r\n]*)-----([A-Za-z0-9+/=\s]*)-----END \1-----/

export type PemObject = { readonly label: string; readonly bytes: Uint8Array }

/** The first object of a PEM file (RFC 7468), undefined where there is none. */
export const firstPemObject = (text: string): PemObject | undefined => {
  const match = OBJECT.exec(text)
  if (match === null) return undefined
  try {
    const binary = atob((match[2] as string).replace(/\s+/g, ''))
    const bytes = Uint8Array.from(binary, character => character.charCodeAt(0))
    return bytes.length === 0 ? undefined : { label: match[1] as string, bytes }
  } catch {
    // Not base64.
    return undefined
  }
}
