#!/bin/sh
# usage: rootfs.sh BINARY FOLDER   Writes the root of the container: the binary, the libraries that it needs, certificates, and a user.
set -eu
binary=$1
root=$2
[ -e "$root" ] && { echo "$root exists" >&2; exit 1; }
mkdir -p "$root/usr/local/bin" "$root/data" "$root/tmp" "$root/etc/ssl/certs"
cp "$binary" "$root/usr/local/bin/quorate"
chmod 755 "$root/usr/local/bin/quorate"
# The paths of ldd: "name => /path (address)", and the loader as "/path (address)".
ldd "$binary" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) .*/\1/p' | sort -u | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp --dereference "$library" "$root$library"
done
# Names are resolved through these.
for library in $(ls /lib/*-linux-gnu/libnss_dns.so.2 /lib/*-linux-gnu/libnss_files.so.2 /lib/*-linux-gnu/libresolv.so.2 2>/dev/null || true); do
  mkdir -p "$root$(dirname "$library")"
  cp --dereference "$library" "$root$library"
done
[ -e /etc/ssl/certs/ca-certificates.crt ] && cp --dereference /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
echo 'quorate:x:10001:10001::/data:/nonexistent' > "$root/etc/passwd"
echo 'quorate:x:10001:' > "$root/etc/group"
echo 'hosts: files dns' > "$root/etc/nsswitch.conf"
chown 10001:10001 "$root/data" 2>/dev/null || true
du -sh "$root" | cut -f1
