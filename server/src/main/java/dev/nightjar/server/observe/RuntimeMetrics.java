/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.server.observe;

import com.sun.management.UnixOperatingSystemMXBean;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.SummaryWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Quantiles;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.function.DoubleSupplier;
import java.util.function.ToDoubleFunction;

/**
 * What the process and its JVM use. Any thread; nothing is read before the first scrape.
 *
 * <p>Dashboards for etcd look for the families of a Go program. Those that mean something for a JVM, too, show the
 * JVM's figure; the others are there with 0, as their absence is what tools complain of.
 */
final class RuntimeMetrics {
    private static final String[] ALWAYS_ZERO = {
        "go_memstats_buck_hash_sys_bytes",
        "go_memstats_frees_total",
        "go_memstats_gc_sys_bytes",
        "go_memstats_heap_objects",
        "go_memstats_mallocs_total",
        "go_memstats_mcache_inuse_bytes",
        "go_memstats_mcache_sys_bytes",
        "go_memstats_mspan_inuse_bytes",
        "go_memstats_mspan_sys_bytes",
        "go_memstats_stack_inuse_bytes",
        "go_memstats_stack_sys_bytes",
    };

    private final PrometheusRegistry registry;

    RuntimeMetrics(PrometheusRegistry registry) {
        this.registry = registry;
    }

    void register() {
        process();
        heap();
        collections();
        gauge("go_goroutines", "Live threads.", RuntimeMetrics::threads);
        gauge("go_threads", "Live threads.", RuntimeMetrics::threads);
        gauge(
                "go_sched_gomaxprocs_threads",
                "Processors the JVM uses.",
                () -> Runtime.getRuntime().availableProcessors());
        Gauge.builder()
                .name("go_info")
                .help("What the program runs on; always 1.")
                .labelNames("version")
                .register(registry)
                .labelValues("java" + Runtime.version().feature())
                .set(1);
        for (String name : ALWAYS_ZERO) {
            gauge(name, "Of a Go program only; always 0.", () -> 0);
        }
    }

    private void process() {
        counter("process_cpu_seconds_total", "CPU time used.", () -> unix(bean -> bean.getProcessCpuTime() / 1e9));
        gauge("process_open_fds", "Open file descriptors.", RuntimeMetrics::openFiles);
        gauge("process_max_fds", "Most file descriptors.", RuntimeMetrics::mostFiles);
        gauge("os_fd_used", "Open file descriptors.", RuntimeMetrics::openFiles);
        gauge("os_fd_limit", "Most file descriptors.", RuntimeMetrics::mostFiles);
        gauge(
                "process_start_time_seconds",
                "Unix time of the start.",
                () -> ManagementFactory.getRuntimeMXBean().getStartTime() / 1e3);
        gauge("process_resident_memory_bytes", "Memory in use.", ProcFiles::residentBytes);
        gauge("process_virtual_memory_bytes", "Address space in use.", ProcFiles::virtualBytes);
        gauge("process_virtual_memory_max_bytes", "Most address space.", ProcFiles::mostVirtualBytes);
        counter("process_network_receive_bytes_total", "Bytes received by the host.", ProcFiles::receivedBytes);
        counter("process_network_transmit_bytes_total", "Bytes sent by the host.", ProcFiles::transmittedBytes);
    }

    private void heap() {
        gauge("go_memstats_alloc_bytes", "Heap in use.", () -> heap(MemoryUsage::getUsed));
        gauge("go_memstats_heap_alloc_bytes", "Heap in use.", () -> heap(MemoryUsage::getUsed));
        gauge("go_memstats_heap_inuse_bytes", "Heap in use.", () -> heap(MemoryUsage::getUsed));
        gauge("go_memstats_heap_sys_bytes", "Heap committed.", () -> heap(MemoryUsage::getCommitted));
        gauge("go_memstats_heap_idle_bytes", "Heap not in use.", () -> heap(use -> use.getCommitted() - use.getUsed()));
        gauge(
                "go_memstats_heap_released_bytes",
                "Heap not committed.",
                () -> heap(use -> Math.max(0, use.getMax() - use.getCommitted())));
        gauge("go_memstats_next_gc_bytes", "Largest heap.", () -> heap(MemoryUsage::getMax));
        gauge(
                "go_memstats_sys_bytes",
                "Heap and other memory committed.",
                () -> heap(MemoryUsage::getCommitted) + otherCommitted());
        gauge("go_memstats_other_sys_bytes", "Memory committed beside the heap.", RuntimeMetrics::otherCommitted);
        // A gauge, as the library refuses a counter whose name is a gauge's name and _total.
        gauge("go_memstats_alloc_bytes_total", "Heap allocated since the start.", RuntimeMetrics::allocated);
        gauge("go_gc_gomemlimit_bytes", "Largest heap.", () -> heap(MemoryUsage::getMax));
        gauge("go_gc_gogc_percent", "Of a Go program only; always 100.", () -> 100);
    }

    private void collections() {
        SummaryWithCallback.builder()
                .name("go_gc_duration_seconds")
                .help("Time spent in collections.")
                .callback(out -> out.call(
                        (long) collectors(GarbageCollectorMXBean::getCollectionCount),
                        collectors(GarbageCollectorMXBean::getCollectionTime) / 1e3,
                        Quantiles.EMPTY))
                .register(registry);
        gauge("go_memstats_last_gc_time_seconds", "Unix time of the last collection.", RuntimeMetrics::lastCollection);
    }

    private void gauge(String name, String help, DoubleSupplier source) {
        new LiveGauge(registry, name, help).follow(source);
    }

    private void counter(String name, String help, DoubleSupplier source) {
        new LiveCounter(registry, name, help).follow(source);
    }

    private static double threads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }

    private static double openFiles() {
        return unix(UnixOperatingSystemMXBean::getOpenFileDescriptorCount);
    }

    private static double mostFiles() {
        return unix(UnixOperatingSystemMXBean::getMaxFileDescriptorCount);
    }

    private static double unix(ToDoubleFunction<UnixOperatingSystemMXBean> figure) {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean bean
                ? figure.applyAsDouble(bean)
                : 0;
    }

    private static double heap(ToDoubleFunction<MemoryUsage> figure) {
        return figure.applyAsDouble(ManagementFactory.getMemoryMXBean().getHeapMemoryUsage());
    }

    private static double otherCommitted() {
        return ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage().getCommitted();
    }

    private static double allocated() {
        return ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean bean
                ? bean.getTotalThreadAllocatedBytes()
                : 0;
    }

    private static double collectors(ToDoubleFunction<GarbageCollectorMXBean> figure) {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToDouble(figure)
                .filter(number -> number > 0)
                .sum();
    }

    private static double lastCollection() {
        double started = ManagementFactory.getRuntimeMXBean().getStartTime() / 1e3;
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .filter(com.sun.management.GarbageCollectorMXBean.class::isInstance)
                .map(bean -> ((com.sun.management.GarbageCollectorMXBean) bean).getLastGcInfo())
                .filter(java.util.Objects::nonNull)
                .mapToDouble(info -> started + info.getEndTime() / 1e3)
                .max()
                .orElse(0);
    }
}
