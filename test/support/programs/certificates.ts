import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** False on a machine without openssl: tests that need certificates are skipped there. */
export const HAS_OPENSSL = Bun.which('openssl') !== null

/** Paths of a certificate and its key. */
export type Certificate = { readonly cert: string; readonly key: string }

/** An authority for tests, made by openssl in a folder. */
export type Authority = Certificate & {
  /** @param extension of X.509 @param days negative for one that has ended */
  issue(name: string, extension: string, days?: number): Certificate
  /** The PKCS#12 file of a certificate. */
  pack(name: string, certificate: Certificate, password: string): string
}

const openssl = (...args: readonly string[]): void => {
  execFileSync('openssl', args, { stdio: 'pipe' })
}

export const SERVER_EXTENSION = 'subjectAltName=DNS:localhost,IP:127.0.0.1'
export const CLIENT_EXTENSION = 'extendedKeyUsage=clientAuth\nsubjectAltName=DNS:client'

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

export const createAuthority = (folder: string, name: string): Authority => {
  const at = (file: string): string => join(folder, `${name}-${file}`)
  const own = { cert: at('ca.pem'), key: at('ca.key') }
  openssl(
    'req',
    '-x509',
    ...CURVE,
    '-keyout',
    own.key,
    '-out',
    own.cert,
    '-days',
    '2',
    '-subj',
    `/CN=${name}`,
  )
  return {
    ...own,
    issue: (subject, extension, days = 2) => {
      const made = { cert: at(`${subject}.pem`), key: at(`${subject}.key`) }
      const request = at(`${subject}.csr`)
      const extensions = at(`${subject}.ext`)
      writeFileSync(extensions, `basicConstraints=CA:FALSE\n${extension}\n`)
      openssl('req', ...CURVE, '-keyout', made.key, '-out', request, '-subj', `/CN=${subject}`)
      openssl(
        'x509',
        '-req',
        '-in',
        request,
        '-CA',
        own.cert,
        '-CAkey',
        own.key,
        '-CAcreateserial',
        '-days',
        String(days),
        '-extfile',
        extensions,
        '-out',
        made.cert,
      )
      return made
    },
    pack: (file, { cert, key }, password) => {
      const path = at(`${file}.p12`)
      openssl('pkcs12', '-export', '-in', cert, '-inkey', key, '-out', path, '-passout', `pass:${password}`)
      return path
    },
  }
}
