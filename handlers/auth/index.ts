/** `quorate/auth`: logins, tokens and permissions in Besu's forms, for the handlers. */
export { type Algorithm, ALGORITHMS } from './keys/algorithms.ts'
export { type Audit, type AuditLog, createAudit, type Denial } from './audit.ts'
export {
  type Authentication,
  type ClientAddress,
  type Identity,
  NO_AUTHENTICATION,
} from './authentication.ts'
export { type Caller, EVERYONE, type Permission } from './caller.ts'
export { type ClientOf, createClientOf } from './client.ts'
export { type AuthenticationParts, createAuthentication } from './createAuthentication.ts'
export { type Credentials, CredentialsError, parseCredentials, type User } from './credentials.ts'
export { type IpNetwork, parseIpNetwork } from './ipAddress.ts'
export { createIssuer, type Issuer } from './issuer.ts'
export { createLogin, type LoginParts } from './login.ts'
export { createLoginLimits, type LoginLimits } from './loginLimits.ts'
export { type CheckPassword, passwordMatches, type PasswordJob } from './password.ts'
export { parsePublicKey, type PublicKey, PublicKeyError } from './keys/publicKey.ts'
export { createVerifySignature, type VerifySignature } from './verifyToken.ts'
