/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
/**
 * Programs that use published etcd clients unchanged (etcdctl, clientv3, jetcd, aetcd, the npm package etcd3), each against
 * every kind of server. The programs that are not Java live in {@code verify/clients}; they print {@code ok NAME} or
 * {@code FAIL NAME reason}. Start reading at {@code ClientProgram}.
 */
@NullMarked
package dev.nightjar.verify.client;

import org.jspecify.annotations.NullMarked;
