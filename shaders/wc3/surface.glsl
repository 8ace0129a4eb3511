// Light and fog that ground, cliffs and water share. A file that includes it declares no Params block of its own.
#include "common/sets.glsl"

PASS uniform Params {
    vec3 sun_direction;    // towards the light, world space
    vec3 sun_color;
    vec3 ambient_color;
    vec4 water_tint;
    bool baked_shadows;
    bool runtime_shadows;
    float shadow_strength; // 0 none, 1 as authored
    bool fog_enabled;
    float fog_start;       // world units of view depth
    float fog_end;
    vec3 fog_color;
    vec2 map_min;          // south-west corner of the map, world units
    vec2 map_size;
    int water_frame;
} params;

// 1 lit, 0 in shadow: the smaller of the baked map and the depth map (two inputs, two switches).
float shadow(vec3 world, sampler2D baked, sampler2DShadow depth) {
    float lit = 1.0;
    if (params.baked_shadows) {
        vec2 at = (world.xy - params.map_min) / params.map_size;
        lit = texture(baked, at).r;
    }
    if (params.runtime_shadows) {
        vec4 p = frame.light_view_projection * vec4(world, 1.0);
        vec3 at = vec3(p.x * 0.5 + 0.5, 0.5 - p.y * 0.5, p.z);
        // Outside the depth map everything is lit.
        if (all(greaterThan(at, vec3(0.0))) && all(lessThan(at, vec3(1.0)))) {
            lit = min(lit, texture(depth, at));
        }
    }
    return mix(1.0, lit, params.shadow_strength);
}

vec3 light(vec3 normal, float lit) {
    float lambert = max(dot(normal, params.sun_direction), 0.0);
    return min(vec3(1.0), params.ambient_color + params.sun_color * lambert * lit);
}

// Linear distance fog over view depth; a range of no length is a step at its start.
vec3 fog(vec3 color, float depth) {
    if (!params.fog_enabled) {
        return color;
    }
    float length = params.fog_end - params.fog_start;
    float clarity = length == 0.0 ? (depth <= params.fog_start ? 1.0 : 0.0)
                                  : clamp((params.fog_end - depth) / length, 0.0, 1.0);
    return mix(params.fog_color, color, clarity);
}
